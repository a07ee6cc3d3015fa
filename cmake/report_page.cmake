# REPORT_PAGE: the page of `heddle report` as one HTML file, bundled from src/report/web. Packages are
# those of its package-lock.json; they are installed into the build folder, once for each version of it.
set(REPORT_WEB ${CMAKE_SOURCE_DIR}/src/report/web)
set(REPORT_NPM ${CMAKE_BINARY_DIR}/report)
file(MAKE_DIRECTORY ${REPORT_NPM}) # make enters it before the first command runs
set(REPORT_PAGE ${CMAKE_BINARY_DIR}/gen/report_page.html)
file(GLOB REPORT_WEB_SOURCES CONFIGURE_DEPENDS ${REPORT_WEB}/src/*.js ${REPORT_WEB}/src/*.css)

add_custom_command(
  OUTPUT ${REPORT_NPM}/installed
  COMMAND ${CMAKE_COMMAND} -E make_directory ${REPORT_NPM}
  COMMAND ${CMAKE_COMMAND} -E copy ${REPORT_WEB}/package.json ${REPORT_WEB}/package-lock.json
          ${REPORT_WEB}/.npmrc ${REPORT_NPM}
  COMMAND ${HEDDLE_NPM} ci --prefer-offline --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${REPORT_NPM}/installed
  DEPENDS ${REPORT_WEB}/package.json ${REPORT_WEB}/package-lock.json ${REPORT_WEB}/.npmrc
  WORKING_DIRECTORY ${REPORT_NPM}
  COMMENT "Installing the packages of the report's page"
  VERBATIM)
add_custom_command(
  OUTPUT ${REPORT_PAGE}
  COMMAND ${HEDDLE_NODE} ${REPORT_WEB}/build.mjs ${REPORT_PAGE}
  DEPENDS ${REPORT_NPM}/installed ${REPORT_WEB}/build.mjs ${REPORT_WEB}/page.html ${REPORT_WEB_SOURCES}
  WORKING_DIRECTORY ${REPORT_NPM}
  COMMENT "Bundling the report's page"
  VERBATIM)
