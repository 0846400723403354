"""Many runs at once: found and named in a plan, which people correct, then translated or judged by it."""
