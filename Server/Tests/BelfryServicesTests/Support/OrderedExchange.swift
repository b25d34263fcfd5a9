import BelfryPush
import BelfryServices
import Synchronization

/// An authorization server that answers in the order of a script, the last response for good. It counts the calls, and
/// may let them wait.
final class OrderedExchange: AccessTokenExchange {
    enum Response: Sendable {
        case token(String, seconds: Int = 3_600)
        case rejected(String, status: Int = 400)
        case fault(AccessTokenExchangeError)
        case body(String, status: Int)
    }

    private struct State {
        var answers: [Response] = [.token("token")]
        var calls = 0
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var calls: Int { state.withLock(\.calls) }

    func script(_ answers: Response...) {
        state.withLock { $0.answers = answers }
    }

    /// Answers wait for ``release()``.
    func hold() {
        state.withLock { $0.isHeld = true }
    }

    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isHeld = false
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when so many calls have come.
    func received(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.calls < count { state.watchers.append((count, continuation)) }
                return state.calls >= count
            }
            if isThere { continuation.resume() }
        }
    }

    func post(_ request: AccessTokenRequest, trustRoots: [String]) async throws -> (status: Int, body: [UInt8]) {
        let (response, watchers) = state.withLock { state in
            state.calls += 1
            let response = state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
            let calls = state.calls
            let watchers = state.watchers.filter { $0.count <= calls }
            state.watchers.removeAll { $0.count <= calls }
            return (response, watchers)
        }
        for watcher in watchers { watcher.continuation.resume() }
        await passage()
        switch response {
        case .token(let text, let seconds):
            return (200, Array(#"{"access_token":"\#(text)","expires_in":\#(seconds),"token_type":"Bearer"}"#.utf8))
        case .rejected(let word, let status):
            return (status, Array(#"{"error":"\#(word)","error_description":"secret words"}"#.utf8))
        case .fault(let error): throw error
        case .body(let text, let status): return (status, Array(text.utf8))
        }
    }

    private func passage() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isHeld { state.waiting.append(continuation) }
                return !state.isHeld
            }
            if isFree { continuation.resume() }
        }
    }
}
