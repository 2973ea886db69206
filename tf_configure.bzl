"""Finds the installed TensorFlow and its Python, for libraries that are loaded into them."""

_ASK = """
import json, sysconfig, tensorflow as tf
print(json.dumps([
  tf.sysconfig.get_include(), tf.sysconfig.get_lib(),
  tf.sysconfig.get_compile_flags(), tf.sysconfig.get_link_flags(),
  sysconfig.get_path("include")]))
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

# The header folders as they are: a list of their 18,000 files would be linked into every sandbox.
cc_library(
    name = "headers",
    hdrs = ["include"],
    defines = {defines},
    includes = ["include"],
)

cc_library(
    name = "python_headers",
    hdrs = ["python_include"],
    includes = ["python_include"],
)

# Needed to link: who loads the kernels has loaded it.
cc_import(
    name = "framework",
    shared_library = "{library}",
)
"""

def _find_python(repository_ctx):
    named = repository_ctx.os.environ.get("PYTHON_BIN_PATH")
    if named:
        return named
    root = repository_ctx.path(Label("//:BUILD")).dirname
    in_venv = root.get_child(".venv").get_child("bin").get_child("python")
    if in_venv.exists:
        return str(in_venv)
    return "python3"

def _tf_configure_impl(repository_ctx):
    python = _find_python(repository_ctx)
    asked = repository_ctx.execute([python, "-c", _ASK])
    if asked.return_code:
        fail(("TensorFlow cannot be imported by %s. Run `make setup`, or name a Python that has " +
              "it with --repo_env=PYTHON_BIN_PATH=/path/to/python.\n%s") % (python, asked.stderr))
    answer = json.decode(asked.stdout.strip().split("\n")[-1])
    include, lib, compile_flags, link_flags, python_include = answer
    library = [flag[len("-l:"):] for flag in link_flags if flag.startswith("-l:")][0]
    defines = [flag[len("-D"):] for flag in compile_flags if flag.startswith("-D")]
    repository_ctx.symlink(include, "include")
    repository_ctx.symlink(python_include, "python_include")
    repository_ctx.symlink(lib + "/" + library, library)
    repository_ctx.file("BUILD", _BUILD.format(defines = repr(defines), library = library))

tf_configure = repository_rule(
    implementation = _tf_configure_impl,
    doc = "Makes :headers, :framework and :python_headers of PYTHON_BIN_PATH, .venv or python3.",
    environ = ["PYTHON_BIN_PATH"],
    local = True,
)
