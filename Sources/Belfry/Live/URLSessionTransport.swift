import BelfryModel
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries requests over `URLSession`: no cookies, no cache, no redirects, 30 seconds of silence and a minute for all of
/// an answer, and a bound for its size.
public struct URLSessionTransport: Transport {
    /// Why a request did not leave, or its answer was not taken.
    public enum Failure: Error, Hashable, Sendable {
        /// The address cannot be written as a URL.
        case invalidAddress
        /// The answer was not one of HTTP.
        case notHTTP
        /// The answer has more than ``maximumAnswerBytes``: it is none of a Belfry server.
        case answerTooLarge
    }

    /// Bytes of an answer's body; no answer of a Belfry server to a device comes near.
    public static let maximumAnswerBytes = 4_194_304

    private let connection: Connection
    private let origin: String

    /// - Parameter serverURL: the server's origin; requests bring the whole path.
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
        return try await connection.answer(to: message)
    }

    /// A session that ends with the last transport that uses it: the system keeps a session until it is told.
    private final class Connection: Sendable {
        private let session: URLSession
        private let answers: PendingAnswers

        init(_ configuration: URLSessionConfiguration) {
            let answers = PendingAnswers(maximumBytes: URLSessionTransport.maximumAnswerBytes)
            self.answers = answers
            session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
        }

        deinit {
            session.finishTasksAndInvalidate()
        }

        func answer(to message: URLRequest) async throws -> TransportResponse {
            let task = session.dataTask(with: message)
            let number = task.taskIdentifier
            answers.begin(number)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    answers.wait(for: number, continuation)
                    task.resume()
                }
            } onCancel: {
                answers.end(number, .failure(CancellationError()))
                task.cancel()
            }
        }
    }
}

extension URL {
    /// Scheme, host and port of a server's address: what a request's path, which is whole, comes behind.
    var origin: String {
        let port = port.map { ":\($0)" } ?? ""
        let host = host ?? ""
        // An IPv6 address stands in brackets.
        let authority = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme ?? "https")://\(authority)\(port)"
    }
}
