import CLibpq
import Dispatch
import Synchronization

/// Asks the server to end what a connection has it do.
// What libpq makes for this is read by nobody but PQcancel, which may be called on any thread.
final class PostgresCancellation: @unchecked Sendable {
    private let pointer: OpaquePointer?
    private let isUnderWay = Atomic(false)

    /// - Parameter link: one that is open.
    init(of link: OpaquePointer) {
        pointer = PQgetCancel(link)
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Returns at once: a server that stands still takes a call, and answers it when it goes on. While it is being told,
    /// it is not told again. One that cannot be reached ends the statement by its time limit.
    func send() {
        guard !isUnderWay.exchange(true, ordering: .relaxed) else { return }
        DispatchQueue.global().async { [self] in
            var complaint = [CChar](repeating: 0, count: 256)
            PQcancel(pointer, &complaint, Int32(complaint.count))
            isUnderWay.store(false, ordering: .relaxed)
        }
    }
}
