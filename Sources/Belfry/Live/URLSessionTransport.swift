import BelfryModel
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with `URLSession`: no cookies, no cache, no redirects; time-outs after 30 seconds without data and
/// after a minute in all; a maximum size of the response.
public struct URLSessionTransport: Transport {
    /// Why a request was not sent, or its response was not accepted.
    public enum Failure: Error, Hashable, Sendable {
        /// The address cannot be written as a URL.
        case invalidAddress
        /// The response is not HTTP.
        case notHTTP
        /// The response has more than ``maximumResponseBytes``, so it does not come from a Belfry server.
        case answerTooLarge
    }

    /// The maximum size of a response body; responses of a Belfry server to a device are much smaller.
    public static let maximumResponseBytes = 4_194_304

    private let connection: Connection
    private let origin: String

    /// - Parameter serverURL: the server's origin; requests contain the whole path.
    public init(serverURL: URL) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 30
        configuration.timeoutIntervalForResource = 60
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        connection = Connection(configuration)
        origin = serverURL.origin
    }

    /// Sends one request.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let url = URLText.url(origin + request.path) else { throw Failure.invalidAddress }
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        message.httpBody = request.body
        for (name, value) in request.headers {
            message.setValue(value, forHTTPHeaderField: name)
        }
        return try await connection.response(to: message)
    }

    /// A session that ends with the last transport that uses it, because the system keeps a session until it is
    /// invalidated.
    private final class Connection: Sendable {
        private let session: URLSession
        private let pending: PendingResponses

        init(_ configuration: URLSessionConfiguration) {
            let pending = PendingResponses(maximumBytes: URLSessionTransport.maximumResponseBytes)
            self.pending = pending
            session = URLSession(configuration: configuration, delegate: pending, delegateQueue: nil)
        }

        deinit {
            session.finishTasksAndInvalidate()
        }

        func response(to message: URLRequest) async throws -> TransportResponse {
            let task = session.dataTask(with: message)
            let number = task.taskIdentifier
            pending.begin(number)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    pending.wait(for: number, continuation)
                    task.resume()
                }
            } onCancel: {
                pending.end(number, .failure(CancellationError()))
                task.cancel()
            }
        }
    }
}

extension URL {
    /// Scheme, host and port of a server's address; a request's path is appended to it.
    var origin: String {
        let port = port.map { ":\($0)" } ?? ""
        let host = host ?? ""
        // An IPv6 address is written in brackets.
        let authority = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme ?? "https")://\(authority)\(port)"
    }
}
