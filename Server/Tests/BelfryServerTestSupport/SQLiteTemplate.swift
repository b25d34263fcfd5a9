import BelfrySQLite
import Foundation

/// An empty store of the newest schema: it is made once in a process, and each test gets a copy.
package enum SQLiteTemplate {
    private static let file = Result {
        let place = FileManager.default.temporaryDirectory.appending(path: "belfry-template-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let file = place.appending(path: "belfry.sqlite")
        // To close it copies its log into the file.
        try SQLiteDatabase(path: file.path, durability: .nothing, questions: .standard).close()
        return try Data(contentsOf: file)
    }

    package static func copy(to file: URL) throws {
        try self.file.get().write(to: file)
    }
}
