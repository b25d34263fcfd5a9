import Belfry
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request of the SDK with its response, as the inspector shows them: without tokens, and with long bodies cut.
struct Exchange: Sendable, Encodable {
    private static let maximumBody = 2_000

    /// The number of the exchange on this phone, counted from 1.
    var number = 0
    let method: String
    let path: String
    /// The status of the response; nil: there was none.
    let status: Int?
    let milliseconds: Int
    let at: Date
    let sent: String?
    let received: String?
    let failure: String?
    /// Whether there was no response although the phone had a network and the app ran.
    let isOutage: Bool

    private enum CodingKeys: CodingKey {
        case number, method, path, status, milliseconds, at, sent, received, failure
    }

    init(_ request: TransportRequest, _ response: TransportResponse, from start: Date, to end: Date) {
        self.init(request, response: response, failure: nil, isOutage: false, from: start, to: end)
    }

    init(_ request: TransportRequest, failure: any Error, from start: Date, to end: Date) {
        let isOurs = failure is CancellationError || failure is NoNetwork
        let isOutage = !isOurs && (failure as? URLError)?.code != .cancelled
        self.init(request, response: nil, failure: Self.words(failure), isOutage: isOutage, from: start, to: end)
    }

    private init(
        _ request: TransportRequest, response: TransportResponse?, failure: String?, isOutage: Bool, from start: Date,
        to end: Date
    ) {
        method = request.method
        path = String(request.path.prefix(400))
        status = response?.status
        milliseconds = max(0, Int((end.timeIntervalSince(start) * 1_000).rounded()))
        at = start
        sent = request.body.flatMap(Self.text)
        received = (response?.body).flatMap(Self.text)
        self.failure = failure
        self.isOutage = isOutage
    }

    private static func words(_ error: any Error) -> String {
        if error is CancellationError { return "The app does not run." }
        if let error = error as? NoNetwork { return error.description }
        if let error = error as? HTTPTransport.Failure { return reason(error) }
        guard let error = error as? URLError else { return "There was no response." }
        return switch error.code {
        case .cancelled: "The app does not run."
        case .cannotConnectToHost: "No server responds at this address."
        case .cannotFindHost, .dnsLookupFailed: "The server's name leads nowhere."
        case .timedOut: "The response took too long."
        case .networkConnectionLost: "The connection was lost."
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate:
            "The server's certificate is not trusted."
        default: "There was no response (\(error.code.rawValue))."
        }
    }

    private static func reason(_ failure: HTTPTransport.Failure) -> String {
        switch failure {
        case .invalidAddress: "The server's address cannot be called."
        case .invalidHeader: "A header of the request has a control character."
        case .notHTTP: "The response is not HTTP."
        case .responseTooLarge: "The response was longer than any of a Belfry server."
        }
    }

    /// A body as text, with its tokens shortened; nil for an empty body.
    static func text(_ body: Data) -> String? {
        guard !body.isEmpty else { return nil }
        guard let tree = try? MaskedJSON(body) else {
            return body.count == 1 ? "One byte." : "\(body.count) bytes."
        }
        let text = tree.masked
        return text.utf8.count > maximumBody ? String(text.prefix(maximumBody)) + "…" : text
    }
}

/// The phone has no network: no request is sent, and no response arrives.
struct NoNetwork: Error, CustomStringConvertible {
    let description = "The phone is in airplane mode."
}
