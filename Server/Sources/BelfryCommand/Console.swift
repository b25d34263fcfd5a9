import Foundation

/// Writes lines for people, which appear immediately even in a file or a pipe.
package enum Console {
    package static func say(_ line: String) {
        print(line)
        // Flushes every stream: standard output's own name is a C variable, which Swift considers unsafe.
        fflush(nil)
    }
}
