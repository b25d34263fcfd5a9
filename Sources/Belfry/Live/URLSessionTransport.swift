import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries requests over `URLSession`: no cookies, no cache, no redirects, 30 seconds for an answer.
public struct URLSessionTransport: Transport {
    /// Why a request did not leave.
    public enum Failure: Error, Hashable, Sendable {
        /// The address cannot be written as a URL.
        case invalidAddress
        /// The answer was not one of HTTP.
        case notHTTP
    }

    private let session: URLSession
    private let origin: String

    /// - Parameter serverURL: the server's origin; requests bring the whole path.
    public init(serverURL: URL) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 30
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
        let port = serverURL.port.map { ":\($0)" } ?? ""
        let host = serverURL.host ?? ""
        // An IPv6 address stands in brackets.
        let authority = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        origin = "\(serverURL.scheme ?? "https")://\(authority)\(port)"
    }

    /// Sends one request.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let url = URL(string: origin + request.path) else { throw Failure.invalidAddress }
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        message.httpBody = request.body
        for (name, value) in request.headers {
            message.setValue(value, forHTTPHeaderField: name)
        }
        let (body, response) = try await session.data(for: message)
        guard let answer = response as? HTTPURLResponse else { throw Failure.notHTTP }
        var headers: [String: String] = [:]
        for (name, value) in answer.allHeaderFields {
            headers["\(name)"] = "\(value)"
        }
        return TransportResponse(status: answer.statusCode, headers: headers, body: body)
    }
}

/// Answers a redirect with the redirect itself: a token must not travel to another origin, nor a `POST` become a `GET`.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
