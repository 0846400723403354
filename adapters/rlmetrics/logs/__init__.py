"""Logs of runs, whoever wants them: what a file is, what it says of its run, and its rows."""
