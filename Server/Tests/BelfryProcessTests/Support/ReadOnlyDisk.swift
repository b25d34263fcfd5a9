import Foundation
import Testing

/// The disk of a running server, which a test makes read-only as the kernel does when a disk fails.
struct ReadOnlyDisk: Sendable {
    static let reason: Comment = "NOT tested here: a running server's read-only disk takes Linux and a C compiler"
    static var isPermitted: Bool { PreloadedLibrary.isPermitted }

    private let library: PreloadedLibrary
    private let state: SharedNumber
    private let folder: URL

    init(_ stage: Stage) async throws {
        library = try await PreloadedLibrary("ReadOnlyDisk/read_only_disk.c", on: stage)
        state = try SharedNumber("read-only", on: stage)
        folder = stage.folder
    }

    /// The environment of a server that has it.
    var environment: [String: String] {
        let own = ["READ_ONLY_SWITCH": state.file.path, "READ_ONLY_FOLDER": folder.path]
        return library.environment.merging(own) { first, _ in first }
    }

    func set(isReadOnly: Bool) throws {
        try state.set(isReadOnly ? 1 : 0)
    }
}
