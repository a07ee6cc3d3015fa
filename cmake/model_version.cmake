# Writes a C source with the version of the model: that of the project, and a digest of the sources
# that LIST names, which decide every simulated number.
file(STRINGS ${LIST} files)
list(SORT files)
set(all "")
foreach(file ${files})
  file(SHA256 ${file} digest)
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(APPEND all "${name} ${digest}\n")
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 16 digest)
file(WRITE ${OUT} "#include \"lab/point.h\"\n\nconst char lab_model_version[] = \"${VERSION}+${digest}\";\n")
