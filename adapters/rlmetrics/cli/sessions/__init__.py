"""What a notebook and an assistant ask: command lines, run beside the session and answered as text or tables."""
