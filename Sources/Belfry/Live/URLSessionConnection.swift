import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session that ends with the last transport that uses it, because the system keeps a session until it is invalidated.
final class URLSessionConnection: Sendable {
    private let session: URLSession
    private let pending: PendingResponses

    init(limits: HTTPLimits) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = TimeInterval(limits.idleTimeout)
        configuration.timeoutIntervalForResource = TimeInterval(limits.totalTimeout)
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        let pending = PendingResponses(maximumBytes: limits.maximumBytes)
        self.pending = pending
        session = URLSession(configuration: configuration, delegate: pending, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    func response(to request: TransportRequest, at url: URL) async throws -> TransportResponse {
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        message.httpBody = request.body
        for (name, value) in request.headers {
            message.setValue(value, forHTTPHeaderField: name)
        }
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
