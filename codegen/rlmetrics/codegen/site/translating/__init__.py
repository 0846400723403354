"""What the translator in the page knows: facts that the resolver states, in files that a browser loads on demand.

How two meanings of a metric differ is asked of `rlmetrics.names.differences.relations` for every pair that any two
sources can form, and written down; JavaScript decides nothing about meaning. A second implementation of that would be a
second truth, and there is no need of one: 70,000 entries of 1,936 components in their releases have 2,900 meanings of
696 metrics, which form 38,000 pairs with 20,000 different answers. To ask for all of them takes three seconds, to write
all data nine, and the largest file has 38 kB compressed. What the facts say in another language lies in a file of words
beside each, so that a visitor loads the few sentences that he may see.

What the scripts of the page do themselves is to look names up, and to rank candidates by what was written down: which
of two counterparts is nearer depends on all that either source logs. Ready translations would spare that, but not be
ready soon: the 1,936 components in their releases log 754 different sets of meanings, the pairs of which, 568,516, have
57 million rows, and to find these takes 1.7 hours of a processor at each build. A test compares thousands of drawn
answers with those of the command line, in all that a person would see of them.
"""
