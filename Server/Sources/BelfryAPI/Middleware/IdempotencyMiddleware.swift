import BelfryServices
import BelfryWire
import Hummingbird
import Logging

/// Answers a repeated write with its first response, and does nothing else (ADM-3). Operations of the scope `read`
/// change nothing, whatever their method, so nothing is stored for them.
struct IdempotencyMiddleware: RouterMiddleware {
    private let writes: IdempotencyStore
    private let errors: ErrorResponder
    /// The methods and addresses of the operations that write.
    private let writing: Set<String>

    init(writes: IdempotencyStore, errors: ErrorResponder, operations: [APIOperation]) {
        self.writes = writes
        self.errors = errors
        writing = Set(
            operations.lazy.filter(\.isWriteOfAdmin).map { "\($0.method.rawValue.uppercased()) \($0.path)" }
        )
    }

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let key = request.headers[.idempotencyKey], let principal = context.principal,
            writing.contains("\(request.method.rawValue) \(context.endpointPath ?? "")")
        else { return try await next(request, context) }
        try APIError.rejectUnfit(idempotencyKey: key)
        var request = request
        let buffer = try await request.collectBounded()
        let body = try request.decoded(buffer)
        let parts = [Array(request.method.rawValue.utf8), Array(request.uri.string.utf8), body]
        switch try await writes.begin(key, of: principal, request: parts) {
        case .repeated(let stored):
            return Self.response(repeating: stored)
        case .unkept:
            return try await next(request, context)
        case .first(let ticket):
            let response: Response
            do {
                response = try await next(request, context)
            } catch {
                response = try errors.response(to: error, request, context)
            }
            await keep(response, for: ticket)
            return response
        }
    }

    /// Stores the response. The write is done, so its response is returned even if it cannot be stored. A server error
    /// is stored as well, because the write may have taken place before it.
    private func keep(_ response: Response, for ticket: IdempotencyStore.Reservation) async {
        do {
            guard Self.isKept(response.status) else { return try await writes.release(ticket) }
            let body = Array(try await response.body.collected().readableBytesView)
            try await writes.keep(.init(status: response.status.code, body: body), for: ticket)
        } catch {
            errors.logger.error(
                "cannot store the response of an idempotent request", metadata: ["error": "\(LoggedError(error))"]
            )
        }
    }

    /// Whether the response is stored. Rejections that may not apply to the same request later are not stored.
    private static func isKept(_ status: HTTPResponse.Status) -> Bool {
        switch status {
        case .unauthorized, .forbidden, .requestTimeout, .tooManyRequests: false
        default: true
        }
    }

    private static func response(repeating stored: IdempotencyStore.StoredResponse) -> Response {
        var headers: HTTPFields = [.idempotencyReplayed: "true"]
        if !stored.body.isEmpty { headers[.contentType] = "application/json" }
        return Response(
            status: .init(code: stored.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: stored.body))
        )
    }
}
