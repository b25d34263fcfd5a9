import Belfry
import Foundation

/// A request of the SDK and its response, as the inspector shows them: without tokens, and cut where they are long.
struct Exchange: Sendable, Encodable {
    private static let maximumBody = 2_000

    let method: String
    let path: String
    /// Nil: there was no response.
    let status: Int?
    let milliseconds: Int
    let at: Date
    let sent: String?
    let received: String?
    let failure: String?

    init(_ request: TransportRequest, _ response: TransportResponse, from start: Date, to end: Date) {
        self.init(request, response: response, failure: nil, from: start, to: end)
    }

    init(_ request: TransportRequest, failure: any Error, from start: Date, to end: Date) {
        self.init(request, response: nil, failure: Self.words(failure), from: start, to: end)
    }

    private init(
        _ request: TransportRequest, response: TransportResponse?, failure: String?, from start: Date, to end: Date
    ) {
        method = request.method
        path = String(request.path.prefix(400))
        status = response?.status
        milliseconds = max(0, Int((end.timeIntervalSince(start) * 1_000).rounded()))
        at = start
        sent = request.body.flatMap(Self.text)
        received = (response?.body).flatMap(Self.text)
        self.failure = failure
    }

    private static func words(_ error: any Error) -> String {
        error is CancellationError ? "The app does not run." : String("\(error)".prefix(200))
    }

    /// A body as text; tokens in it are shortened.
    static func text(_ body: Data) -> String? {
        guard !body.isEmpty else { return nil }
        guard let tree = try? CheckedTree(body) else { return "\(body.count) bytes" }
        let text = tree.masked
        return text.utf8.count > maximumBody ? String(text.prefix(maximumBody)) + "…" : text
    }
}
