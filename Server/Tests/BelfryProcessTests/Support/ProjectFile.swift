import Foundation

/// The files that the tests were built from.
enum ProjectFile {
    /// - Parameter path: from the project's folder.
    static func text(_ path: String) throws -> String {
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
