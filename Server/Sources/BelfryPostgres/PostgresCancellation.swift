import CLibpq

/// Asks the server to end what a connection has it do.
// What libpq makes for this is read by nobody but PQcancel, which may be called on any thread.
final class PostgresCancellation: @unchecked Sendable {
    private let pointer: OpaquePointer?

    /// - Parameter link: one that is open.
    init(of link: OpaquePointer) {
        pointer = PQgetCancel(link)
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Returns when the server was told. One that cannot be reached ends the statement by its time limit.
    func send() {
        var complaint = [CChar](repeating: 0, count: 256)
        PQcancel(pointer, &complaint, Int32(complaint.count))
    }
}
