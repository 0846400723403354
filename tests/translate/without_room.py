"""The command line in a process that may write four kilobytes to a file, and no more."""

WITHOUT_ROOM = (
    "import resource, signal, sys\n"
    "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    "from rlmetrics.cli import main\n"
    "from rlmetrics.names.tables.loading import load_tables\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
    "sys.exit(main(sys.argv[1:]))"
)
"""The command line, in a process whose files may have 4,096 bytes."""
