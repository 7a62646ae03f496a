# passgen_generate(TARGET
#                  SPECS spec...
#                  [TARGETS name...]       # what to write; python and markdown
#                  [OUTPUT_DIR folder]     # by default CMAKE_CURRENT_BINARY_DIR
#                  [TEMPLATE_DIR folder]   # templates that come before passgen's own
#                  [OUTPUTS variable])     # gets the paths of what is written
#
# Adds a target that writes what the specs become, as a part of `all`. One process does
# all specs. The outputs depend on the specs, what they include, and the templates.
# With ninja, CMake runs again only if a group gets another name.
#
# Found by: find_package(Passgen REQUIRED PATHS "<what passgen --cmake-dir prints>")

cmake_minimum_required(VERSION 3.20)

find_program(PASSGEN_EXECUTABLE passgen REQUIRED DOC "the pass generator")

function(passgen_generate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg
    "" "OUTPUT_DIR;TEMPLATE_DIR;OUTPUTS" "SPECS;TARGETS")
  set(call "passgen_generate(${target})")
  set(keywords "SPECS, TARGETS, OUTPUT_DIR, TEMPLATE_DIR, OUTPUTS")
  if(arg_UNPARSED_ARGUMENTS)
    list(JOIN arg_UNPARSED_ARGUMENTS "', '" found)
    message(FATAL_ERROR "${call}: found '${found}', expected one of ${keywords}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    list(JOIN arg_KEYWORDS_MISSING_VALUES "', '" found)
    message(FATAL_ERROR "${call}: found no value of '${found}', expected one")
  endif()
  if(NOT arg_SPECS)
    message(FATAL_ERROR "${call}: found no SPECS, expected the paths of specs")
  endif()
  if(TARGET ${target})
    message(FATAL_ERROR "${call}: found a target '${target}', expected a new name")
  endif()

  if(NOT arg_OUTPUT_DIR)
    set(arg_OUTPUT_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  cmake_path(ABSOLUTE_PATH arg_OUTPUT_DIR
    BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
  # CMake takes relative paths in depfiles to be below the build, so none is relative.
  set(specs)
  foreach(spec IN LISTS arg_SPECS)
    cmake_path(ABSOLUTE_PATH spec BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    if(NOT EXISTS "${spec}" OR IS_DIRECTORY "${spec}")
      message(FATAL_ERROR "${call}: found no file '${spec}', expected a spec")
    endif()
    list(APPEND specs "${spec}")
  endforeach()

  set(arguments -o "${arg_OUTPUT_DIR}")
  foreach(name IN LISTS arg_TARGETS)
    list(APPEND arguments --target "${name}")
  endforeach()
  if(arg_TEMPLATE_DIR)
    cmake_path(ABSOLUTE_PATH arg_TEMPLATE_DIR
      BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    if(NOT IS_DIRECTORY "${arg_TEMPLATE_DIR}")
      message(FATAL_ERROR
        "${call}: found no folder '${arg_TEMPLATE_DIR}', expected TEMPLATE_DIR")
    endif()
    list(APPEND arguments --template-dir "${arg_TEMPLATE_DIR}")
  endif()
  list(APPEND arguments ${specs})

  execute_process(
    COMMAND "${PASSGEN_EXECUTABLE}" --list-outputs ${arguments}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    OUTPUT_VARIABLE listed
    RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${call}: passgen failed, for the reasons above")
  endif()
  string(REGEX REPLACE "\n$" "" outputs "${listed}")
  string(REPLACE "\n" ";" outputs "${outputs}")

  # Outputs are called after groups, which specs name. The command writes their paths
  # as well, and CMake runs again where these have changed: with ninja, which makes what
  # CMake depends on before it runs CMake, and sees what stayed the same. Others run it
  # whenever a spec changes, and go by times alone.
  set(outputs_file "${CMAKE_CURRENT_BINARY_DIR}/${target}.passgen.outputs")
  if(CMAKE_GENERATOR MATCHES "Ninja")
    set(planned "${outputs_file}")
    set(touch)
    set(before "")
    if(EXISTS "${outputs_file}")
      file(READ "${outputs_file}" before)
    endif()
    if(NOT before STREQUAL listed)
      file(WRITE "${outputs_file}" "${listed}")
    endif()
  else()
    set(planned ${specs})
    set(touch COMMAND "${CMAKE_COMMAND}" -E touch_nocreate ${outputs})
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${planned})

  set(depfile "${CMAKE_CURRENT_BINARY_DIR}/${target}.passgen.d")
  add_custom_command(
    OUTPUT ${outputs} "${outputs_file}"
    COMMAND "${PASSGEN_EXECUTABLE}" --depfile "${depfile}"
      --outputs-file "${outputs_file}" ${arguments}
    ${touch}
    DEPENDS ${specs}
    DEPFILE "${depfile}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "Generating passes: ${target}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${outputs})
  if(arg_OUTPUTS)
    set(${arg_OUTPUTS} ${outputs} PARENT_SCOPE)
  endif()
endfunction()
