import CLibpq
import Dispatch
import Synchronization

/// Asks the server to cancel the statement that a connection is running.
// Only PQcancel reads libpq's cancel object, and it may be called on any thread.
final class PostgresCancellation: @unchecked Sendable {
    private let pointer: OpaquePointer?
    private let isUnderWay = Atomic(false)

    /// - Parameter link: an open connection.
    init(of link: OpaquePointer) {
        pointer = PQgetCancel(link)
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Returns immediately: a server that hangs accepts the call, and answers it when it continues. While one request
    /// is under way, no other is sent. If the server cannot be reached, the statement ends by its time limit.
    func send() {
        guard !isUnderWay.exchange(true, ordering: .relaxed) else { return }
        DispatchQueue.global().async { [self] in
            var complaint = [CChar](repeating: 0, count: 256)
            PQcancel(pointer, &complaint, Int32(complaint.count))
            isUnderWay.store(false, ordering: .relaxed)
        }
    }
}
