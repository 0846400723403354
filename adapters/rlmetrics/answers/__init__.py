"""What people read: resolved meanings, differences and changes in plain sentences, an answer at a glance."""
