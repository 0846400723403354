"""How large differences between two numbers of one metric are, on a fixed set of reference batches.

`batches` makes the batches, `parts` computes a number over any parts of them, `measure` turns that into ranges and
`kept` keeps them in ``spec/sizes.lock``, from which the generated table is made. Only the first three need torch.
"""
