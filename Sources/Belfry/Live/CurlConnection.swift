#if os(Linux)
    import CLibcurl
    import Foundation
    import FoundationNetworking

    /// Makes requests with libcurl, all on one thread, which sleeps until a socket is ready.
    ///
    /// `URLSession` of Swift 6.3 on Linux, which also uses libcurl, polls whether a new connection can be written to.
    /// It always can, so a processor is busy until the first response of a connection arrives.
    final class CurlConnection: Sendable {
        private let calls: CurlCalls

        init(limits: HTTPLimits) {
            calls = CurlCalls(limits: limits)
        }

        deinit {
            calls.close()
        }

        func response(to request: TransportRequest, at url: URL) async throws -> TransportResponse {
            let number = calls.announce()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiter in
                    calls.begin(CurlCall(number: number, request: request, url: url, waiter: waiter))
                }
            } onCancel: {
                calls.cancel(number)
            }
        }
    }

    /// The requests of a connection on their way to its thread, and the life cycle of the thread: from the first
    /// request until the connection is closed and the last response has arrived.
    private final class CurlCalls: Sendable {
        private enum Stage {
            case announced
            case cancelled
            case begun
        }

        private struct Queue {
            var next = 0
            var stages: [Int: Stage] = [:]
            var begun: [CurlCall] = []
            var cancelled: [Int] = []
            var hasThread = false
            var isClosed = false
            /// Wakes the thread; nil before it sleeps for the first time, and after its end.
            var bell: Bell?
        }

        // Unchecked: other threads only wake the sleeping one, which libcurl allows from any thread, and only while the
        // handle is in the queue, under its lock.
        private struct Bell: @unchecked Sendable {
            let multi: UnsafeMutableRawPointer
        }

        /// The maximum sleep in milliseconds; libcurl wakes up earlier for its own timers.
        private static let longestSleep: Int32 = 600_000

        private let limits: HTTPLimits
        private let queue = Locked(Queue())

        init(limits: HTTPLimits) {
            self.limits = limits
        }

        /// - Returns: the number by which a call can be cancelled, also before it begins.
        func announce() -> Int {
            queue.withLock { queue in
                queue.next += 1
                queue.stages[queue.next] = .announced
                return queue.next
            }
        }

        func begin(_ call: CurlCall) {
            let (isCancelled, needsThread) = queue.withLock { queue -> (Bool, Bool) in
                guard queue.stages[call.number] == .announced else {
                    queue.stages[call.number] = nil
                    return (true, false)
                }
                queue.stages[call.number] = .begun
                queue.begun.append(call)
                defer { queue.hasThread = true }
                Self.ring(queue)
                return (false, !queue.hasThread)
            }
            if isCancelled { call.waiter.resume(throwing: CancellationError()) }
            if needsThread { Thread.detachNewThread { [self] in run() } }
        }

        func cancel(_ number: Int) {
            queue.withLock { queue in
                switch queue.stages[number] {
                case .announced: queue.stages[number] = .cancelled
                case .begun:
                    queue.cancelled.append(number)
                    Self.ring(queue)
                case .cancelled, nil: break
                }
            }
        }

        /// Closes the connection. The thread ends when the last response has arrived.
        func close() {
            queue.withLock { queue in
                queue.isClosed = true
                Self.ring(queue)
            }
        }

        private static func ring(_ queue: Queue) {
            guard let bell = queue.bell else { return }
            curl_multi_wakeup(bell.multi)
        }

        private func run() {
            guard CurlLibrary.isReady, let multi = curl_multi_init() else { return abandon() }
            queue.withLock { $0.bell = Bell(multi: multi) }
            var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
            while let news = takeNews(isIdle: transfers.isEmpty) {
                for call in news.begun {
                    if let transfer = begin(call, in: multi) { transfers[transfer.easy] = transfer }
                }
                for number in news.cancelled {
                    guard let transfer = transfers.values.first(where: { $0.call.number == number }) else { continue }
                    transfers[transfer.easy] = nil
                    end(transfer, in: multi, .failure(CancellationError()))
                }
                var running: Int32 = 0
                var code = curl_multi_perform(multi, &running)
                var result = CURLE_OK
                while let easy = belfry_curl_next_ended(multi, &result) {
                    guard let transfer = transfers.removeValue(forKey: easy) else { continue }
                    end(transfer, in: multi, transfer.outcome(result))
                }
                if code == CURLM_OK { code = curl_multi_poll(multi, nil, 0, Self.longestSleep, nil) }
                guard code != CURLM_OK else { continue }
                // Out of memory, or the system has no more file handles.
                for transfer in transfers.values { end(transfer, in: multi, .failure(URLError(.unknown))) }
                transfers = [:]
            }
            curl_multi_cleanup(multi)
        }

        /// - Returns: nil when the thread is no longer needed.
        private func takeNews(isIdle: Bool) -> (begun: [CurlCall], cancelled: [Int])? {
            queue.withLock { queue in
                if queue.isClosed && isIdle && queue.begun.isEmpty {
                    queue.bell = nil
                    return nil
                }
                defer {
                    queue.begun = []
                    queue.cancelled = []
                }
                return (queue.begun, queue.cancelled)
            }
        }

        private func begin(_ call: CurlCall, in multi: UnsafeMutableRawPointer) -> CurlTransfer? {
            guard let transfer = CurlTransfer(call, limits: limits),
                curl_multi_add_handle(multi, transfer.easy) == CURLM_OK
            else {
                finish(call, .failure(URLError(.unknown)))
                return nil
            }
            return transfer
        }

        private func end(
            _ transfer: CurlTransfer, in multi: UnsafeMutableRawPointer, _ outcome: Result<TransportResponse, any Error>
        ) {
            curl_multi_remove_handle(multi, transfer.easy)
            finish(transfer.call, outcome)
        }

        private func finish(_ call: CurlCall, _ outcome: Result<TransportResponse, any Error>) {
            queue.withLock { $0.stages[call.number] = nil }
            call.waiter.resume(with: outcome)
        }

        /// Ends the calls when libcurl cannot allocate memory; the next call tries again.
        private func abandon() {
            let begun = queue.withLock { queue in
                defer { queue.begun = [] }
                queue.hasThread = false
                return queue.begun
            }
            for call in begun { finish(call, .failure(URLError(.unknown))) }
        }
    }

    private enum CurlLibrary {
        /// Whether libcurl is initialized; done once per process, at the first use.
        static let isReady = belfry_curl_prepare() == CURLE_OK
    }
#endif
