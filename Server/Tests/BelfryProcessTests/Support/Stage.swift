import Foundation

/// The environment of one test: its own folder, whose data directory outlives its servers, and an HTTP client.
struct Stage: Sendable {
    let folder: URL
    let http: HTTPCaller

    var dataDirectory: URL { folder.appending(path: "data", directoryHint: .isDirectory) }
}

/// Runs a test on a fresh stage and clears it away, however the test ends.
func withStage(_ body: (Stage) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let stage = Stage(folder: folder, http: .make())
    let outcome: Result<Void, any Error>
    do {
        outcome = .success(try await body(stage))
    } catch {
        outcome = .failure(error)
    }
    // A client that does not close cleanly and a folder that is gone are both what is wanted.
    try? await stage.http.client.shutdown()
    try? FileManager.default.removeItem(at: folder)
    try outcome.get()
}
