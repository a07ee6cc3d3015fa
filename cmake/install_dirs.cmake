# Where things are installed below the prefix, and the headers of plug-ins, which the build folder has in the
# same place: a program in either finds them in the same way (base/beside.h).
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "libraries, below the prefix")
include(GNUInstallDirs)

# All that a plug-in may include: the interfaces, what they need, and sched/order.h.
set(PLUGIN_HEADERS
    base/arena.h base/diag.h base/json.h base/mem_access.h base/occupancy.h base/strbuf.h cache/cache.h
    cache/cache_policy.h config/param.h config/param_set.h config/plugin.h config/plugin_stat.h config/settings.h
    crit/criticality.h sched/order.h sched/scheduler.h)
set(PLUGIN_INCLUDE ${CMAKE_BINARY_DIR}/include/heddle-plugin)
set(PLUGIN_HEADER_COPIES "")
foreach(header ${PLUGIN_HEADERS})
  add_custom_command(
    OUTPUT ${PLUGIN_INCLUDE}/${header}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/src/${header} ${PLUGIN_INCLUDE}/${header}
    DEPENDS ${CMAKE_SOURCE_DIR}/src/${header}
    VERBATIM)
  list(APPEND PLUGIN_HEADER_COPIES ${PLUGIN_INCLUDE}/${header})
endforeach()
add_custom_target(plugin_headers DEPENDS ${PLUGIN_HEADER_COPIES})
