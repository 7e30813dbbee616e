"""A local model: a file of weights that the person picked, served on this computer while asked.

llama.cpp (package `xllamacpp`, extra `local`) serves in a process of its own. Within this one,
loading was measured to hold the interpreter for 1.6 to 3.8 s, so that nothing is painted, and the
end of it for 0.15 s; a damaged file or one changed while it is mapped would end the program; and
only the end of a process gives all memory back.

`local_model` is the entry point. Nothing is imported here, because the server process imports this
package too and needs none of it.
"""
