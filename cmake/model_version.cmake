# Writes a C source (src/lab/model.h) with digests of the sources that decide simulated numbers:
#   LIST  a file that names them, a line each
#   ROOT  their names in the digests are relative to this folder
#   OUT   the source to write
#   VERSION  Heddle's
#
# A mechanism or workload that a list (.def) names is a part of its own. To a part belong the file
# that defines it; what that file includes from its folder; the sources of its folder that implement
# such a header; and other mechanisms that these name. Everything else is the engine, and so are
# headers that the registry of the folder or sources outside of it include. The lists themselves do
# not count: a new mechanism changes no digest but its own. OUT.parts says which files are whose; a
# test compares that with what the objects refer to (model_parts_are_whole.sh).

cmake_minimum_required(VERSION 3.20)

# kind | folder | list | word of the list | prefix of the definition
set(KINDS
    "scheduler|src/sched|src/sched/schedulers.def|SCHEDULER|scheduler"
    "cache policy|src/cache/policies|src/cache/policies.def|POLICY|cache_policy"
    "criticality|src/crit|src/crit/providers.def|PROVIDER|criticality"
    "atomics|src/atomics|src/atomics/atomics.def|ATOMICS|atomics"
    "workload|src/workloads|src/workloads/list.def|WORKLOAD|workload")

file(STRINGS ${LIST} paths)
list(SORT paths)
set(files "")
set(lists "")
foreach(path ${paths})
  file(RELATIVE_PATH name ${ROOT} ${path})
  list(APPEND files ${name})
  file(SHA256 ${path} digest_of_${name})
  if(name MATCHES "\\.(c|h)$")
    file(READ ${path} text_of_${name})
    string(REGEX MATCHALL "#include \"[^\"]*\"" found "${text_of_${name}}")
    set(includes_of_${name} "")
    foreach(line ${found})
      string(REGEX REPLACE "#include \"([^\"]*)\"" "src/\\1" include "${line}")
      list(APPEND includes_of_${name} ${include})
    endforeach()
  endif()
endforeach()

# digest_of_files(OUT NAME...): of names and contents, whatever the order.
function(digest_of_files out)
  set(all "")
  set(names ${ARGN})
  list(SORT names)
  foreach(name ${names})
    string(APPEND all "${name} ${digest_of_${name}}\n")
  endforeach()
  string(SHA256 digest "${all}")
  string(SUBSTRING ${digest} 0 16 digest)
  set(${out} ${digest} PARENT_SCOPE)
endfunction()

# The headers of a folder that its registry or sources outside of it include, directly or not.
function(list_shared_headers out folder)
  set(shared "")
  foreach(name ${files})
    if(NOT name MATCHES "^${folder}/" OR name STREQUAL "${folder}/registry.c")
      foreach(include ${includes_of_${name}})
        if(include MATCHES "^${folder}/")
          list(APPEND shared ${include})
        endif()
      endforeach()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES shared)
  set(queue ${shared})
  while(queue)
    list(POP_FRONT queue name)
    foreach(include ${includes_of_${name}})
      if(include MATCHES "^${folder}/" AND NOT include IN_LIST shared)
        list(APPEND shared ${include})
        list(APPEND queue ${include})
      endif()
    endforeach()
  endwhile()
  set(${out} ${shared} PARENT_SCOPE)
endfunction()

set(of_parts "")
set(rows "")
set(report "")
foreach(kind ${KINDS})
  string(REPLACE "|" ";" fields "${kind}")
  list(GET fields 0 title)
  list(GET fields 1 folder)
  list(GET fields 2 list)
  list(GET fields 3 word)
  list(GET fields 4 prefix)
  list(APPEND lists ${list})
  list_shared_headers(shared ${folder})
  file(STRINGS ${ROOT}/${list} lines REGEX "^${word}\\([a-z0-9_]+\\)")
  set(ids "")
  set(roots "")
  foreach(line ${lines})
    string(REGEX REPLACE "^${word}\\(([a-z0-9_]+)\\).*" "\\1" id "${line}")
    list(APPEND ids ${id})
  endforeach()

  # Which file defines what: `prefix_id = {`, or a macro of the same effect: `NAME(id, `.
  set(own "")
  foreach(name ${files})
    if(name MATCHES "^${folder}/" AND name MATCHES "\\.c$")
      list(APPEND own ${name})
    endif()
  endforeach()
  foreach(id ${ids})
    set(file_of_${id} "")
    foreach(name ${own})
      if(text_of_${name} MATCHES "[ \n]${prefix}_${id} = {" OR
         text_of_${name} MATCHES "\n[A-Z][A-Z0-9_]*\\(${id},")
        list(APPEND file_of_${id} ${name})
      endif()
    endforeach()
    list(LENGTH file_of_${id} n)
    if(NOT n EQUAL 1)
      message(FATAL_ERROR "${list} names ${id}, which ${n} sources of ${folder} define: ${file_of_${id}}")
    endif()
    list(APPEND roots ${file_of_${id}})
  endforeach()

  foreach(id ${ids})
    set(part ${file_of_${id}})
    set(queue ${file_of_${id}})
    while(queue)
      list(POP_FRONT queue name)
      set(next "")
      # Headers of the folder, and the kernel texts beside a workload.
      foreach(include ${includes_of_${name}})
        if(include MATCHES "^${folder}/" AND NOT include IN_LIST shared AND NOT include MATCHES "\\.def$")
          list(APPEND next ${include})
        endif()
      endforeach()
      if(title STREQUAL "workload" AND name MATCHES "^(${folder}/[^/]+)/")
        set(home ${CMAKE_MATCH_1})
        foreach(other ${files})
          if(other MATCHES "^${home}/")
            list(APPEND next ${other})
          endif()
        endforeach()
      endif()
      # Who implements such a header: the source of the same name, and those without a header of
      # their own that define no mechanism.
      if(name MATCHES "\\.h$")
        foreach(other ${own})
          string(REGEX REPLACE "\\.c$" ".h" twin ${other})
          if(name STREQUAL twin OR (name IN_LIST includes_of_${other} AND NOT twin IN_LIST files AND
                                    NOT other IN_LIST roots))
            list(APPEND next ${other})
          endif()
        endforeach()
      endif()
      # Other mechanisms that it names.
      foreach(other ${ids})
        if(NOT other STREQUAL id AND text_of_${name} MATCHES "${prefix}_${other}[^a-z0-9_]")
          list(APPEND next ${file_of_${other}})
        endif()
      endforeach()
      foreach(found ${next})
        if(NOT found IN_LIST part AND found IN_LIST files)
          list(APPEND part ${found})
          list(APPEND queue ${found})
        endif()
      endforeach()
    endwhile()
    list(APPEND of_parts ${part})
    digest_of_files(digest ${part})
    string(APPEND rows "    {\"${title}\", \"${id}\", \"${digest}\"},\n")
    list(SORT part)
    list(JOIN part " " part)
    string(APPEND report "${title} ${id}: ${part}\n")
  endforeach()
endforeach()

set(engine ${files})
list(REMOVE_ITEM engine ${of_parts} ${lists})
digest_of_files(all ${files})
digest_of_files(engine ${engine})
file(WRITE ${OUT}.parts "${report}")
file(WRITE ${OUT} "#include \"lab/model.h\"

const char lab_model_version[] = \"${VERSION}+${all}\";

const char *model_engine_version(void)
{
    return \"${VERSION}+${engine}\";
}

static const struct model_part parts[] = {
${rows}};

const struct model_part *model_parts(uint32_t *n)
{
    *n = sizeof parts / sizeof parts[0];
    return parts;
}
")
