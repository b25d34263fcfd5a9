import Belfry
import Foundation
import Synchronization

/// Sends the SDK's requests over the network, as an app does, and keeps what was said.
final class RecordingTransport: Transport {
    struct Exchange: Sendable {
        let request: TransportRequest
        /// Nil when none came.
        let response: TransportResponse?
    }

    private let way: Mutex<HTTPTransport>
    private let exchanges = Mutex<[Exchange]>([])

    init(to address: URL) {
        way = Mutex(HTTPTransport(serverURL: address))
    }

    /// From now on the requests arrive somewhere else, as in another network.
    func lead(to address: URL) {
        way.withLock { $0 = HTTPTransport(serverURL: address) }
    }

    /// What was said since the last time.
    func take() -> [Exchange] {
        exchanges.withLock { exchanges in
            defer { exchanges = [] }
            return exchanges
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let way = way.withLock { $0 }
        let answer: Result<TransportResponse, any Error>
        do {
            answer = .success(try await way.send(request))
        } catch {
            answer = .failure(error)
        }
        exchanges.withLock { $0.append(Exchange(request: request, response: try? answer.get())) }
        return try answer.get()
    }
}
