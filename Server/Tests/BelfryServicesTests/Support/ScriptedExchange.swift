import BelfryPush
import BelfryServices
import Synchronization

/// An authorization server by script: it gives token after token until a test says otherwise.
final class ScriptedExchange: AccessTokenExchange {
    enum Response: Sendable {
        case tokens
        case rejected(word: String)
        case fault(AccessTokenExchangeError)
    }

    private struct State {
        var answer = Response.tokens
        var requests: [AccessTokenRequest] = []
    }

    private let state = Mutex(State())

    var requests: [AccessTokenRequest] { state.withLock(\.requests) }

    func answer(_ answer: Response) {
        state.withLock { $0.answer = answer }
    }

    func post(_ request: AccessTokenRequest, trustRoots: [String]) async throws -> (status: Int, body: [UInt8]) {
        let (answer, count) = state.withLock { state in
            state.requests.append(request)
            return (state.answer, state.requests.count)
        }
        switch answer {
        case .tokens:
            return (200, Array(#"{"access_token":"access-\#(count)","expires_in":3599,"token_type":"Bearer"}"#.utf8))
        case .rejected(let word):
            return (400, Array(#"{"error":"\#(word)"}"#.utf8))
        case .fault(let error):
            throw error
        }
    }
}
