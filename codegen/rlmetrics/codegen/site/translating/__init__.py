"""What the translator in the page knows: facts that the resolver states, in files that a browser loads on demand.

What two meanings of a metric have to do with each other is asked of `rlmetrics.names.relations` for every pair that
any two sources can form, and written down; JavaScript decides nothing about meaning. There are few such pairs, since
most releases of most trainers mean the same: 39,000 between 2,900 meanings of 696 metrics, which takes three seconds and
150 kB compressed in all. What the pages' script does itself is to look names up and to rank candidates: which of two
counterparts is nearer depends on everything that either source logs, and there are millions of pairs of sources.
"""
