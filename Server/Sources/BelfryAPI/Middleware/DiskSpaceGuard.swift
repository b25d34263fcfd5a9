import BelfryServices
import HTTPTypes
import Hummingbird

/// Rejects what makes the store grow while its disk is below the floor (SEC-9): registrations, events, new devices and
/// links, and what operators create. Calls that read, refresh a token, change an existing row, remove something or end
/// work are accepted: the space below the floor is for them.
struct DiskSpaceGuard: Sendable {
    /// The console's forms that stay available: sign in, sign out, and the choice of light or dark appearance.
    static let exemptPages: Set = ["/console/sign-in", "/console/sign-out", "/console/scheme"]

    /// The accepted methods by path, in the router's notation. All others are rejected, including those of routes that
    /// are added later.
    private let accepted: [String: Set<HTTPRequest.Method>]
    private let storage: StorageWatch

    init(_ operations: [APIOperation], storage: StorageWatch) {
        accepted = operations.filter(\.isAcceptedOnFullDisk).reduce(into: [:]) { accepted, operation in
            accepted[operation.path, default: []].insert(operation.method.http)
        }
        self.storage = storage
    }

    /// - Parameter path: the route's pattern; nil for an unknown address.
    func check(_ method: HTTPRequest.Method, of path: String?) throws(APIError) {
        guard storage.isLow, method == .post || method == .put || method == .patch, let path,
            accepted[path]?.contains(method) != true, !Self.exemptPages.contains(path)
        else { return }
        storage.noteRejection()
        throw .storageFull
    }
}
