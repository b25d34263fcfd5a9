import Foundation

/// The files that the tests were built from.
enum ProjectFile {
    /// - Parameter path: from the project's folder.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: url(path), encoding: .utf8)
    }

    /// - Parameter path: from the project's folder.
    static func url(_ path: String) -> URL {
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return root.appending(path: path)
    }
}
