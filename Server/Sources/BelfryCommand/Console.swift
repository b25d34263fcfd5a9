import Foundation

/// Lines for people, seen at once even when they go into a file or a pipe.
package enum Console {
    package static func say(_ line: String) {
        print(line)
        // Every stream: the name of standard output is a variable of C, which Swift calls unsafe.
        fflush(nil)
    }
}
