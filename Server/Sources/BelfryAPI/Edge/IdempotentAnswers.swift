import BelfryServices
import BelfryWire
import Hummingbird
import Logging

/// Answers a write that comes again with its first answer, and does nothing else (ADM-3).
struct IdempotentAnswers: RouterMiddleware {
    let writes: IdempotentWrites
    let errors: ErrorAnswers

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let key = request.headers[.idempotencyKey], request.method != .get, request.method != .head,
            let principal = context.principal
        else { return try await next(request, context) }
        try APIError.refuseUnfit(idempotencyKey: key)
        var request = request
        let buffer = try await request.collectBounded()
        let body = try request.decoded(buffer)
        let parts = [Array(request.method.rawValue.utf8), Array(request.uri.string.utf8), body]
        switch try await writes.begin(key, of: principal, request: parts) {
        case .repeated(let answer):
            return Self.response(repeating: answer)
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

    /// What was done is done: if its answer cannot be kept, it is given all the same. A fault of the server is kept as
    /// such: the write may have been done before it.
    private func keep(_ response: Response, for ticket: IdempotentWrites.Ticket) async {
        do {
            guard Self.isKept(response.status) else { return try await writes.giveUp(ticket) }
            let body = try await response.body.collected()
            try await writes.keep(
                .init(status: response.status.code, body: Array(body.readableBytesView)), for: ticket
            )
        } catch {
            errors.logger.error(
                "an answer cannot be kept for its repetition", metadata: ["error": "\(LoggedError(error))"]
            )
        }
    }

    /// Refusals that may end another time, for the same request, are not kept.
    private static func isKept(_ status: HTTPResponse.Status) -> Bool {
        switch status {
        case .unauthorized, .forbidden, .requestTimeout, .tooManyRequests: false
        default: true
        }
    }

    private static func response(repeating answer: IdempotentWrites.Answer) -> Response {
        var headers: HTTPFields = [.idempotencyReplayed: "true"]
        if !answer.body.isEmpty { headers[.contentType] = "application/json" }
        return Response(
            status: .init(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }
}
