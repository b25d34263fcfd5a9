import BelfryWire
import Hummingbird

/// An answer that is not a success: its status and what ``ErrorBody`` says (WIRE-23).
struct APIError: Error, Hashable, Sendable {
    var status: HTTPResponse.Status
    var code: String
    var message: String
    /// The field, header or parameter at fault.
    var target: String?
    /// Further faults of the same request (ADM-3).
    var details: [ErrorBody.Detail]?
    var headers: HTTPFields = [:]

    init(
        _ status: HTTPResponse.Status, _ code: String, _ message: String, target: String? = nil,
        details: [ErrorBody.Detail]? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.target = target
        self.details = details
        self.headers = headers
    }

    func response() throws -> Response {
        let body = ErrorBody(error: .init(code: code, message: message, target: target), details: details)
        var response = try Response.json(body, status: status)
        response.headers.append(contentsOf: headers)
        return response
    }
}

extension APIError {
    /// What went wrong is the server's affair; the log has it.
    static let internalFault = APIError(
        .internalServerError, ErrorCode.internalFault, "The server could not do this. Its log says why."
    )

    static let databaseBusy = APIError(
        .serviceUnavailable, ErrorCode.unavailable, "The database does not answer. Try again in a moment.",
        headers: [.retryAfter: "1"]
    )

    /// The disk is full, or so nearly that nothing is taken that makes the store grow (SEC-9).
    static let storageFull = APIError(
        .serviceUnavailable, ErrorCode.storageFull,
        "The server's disk is full or nearly so, and nothing was stored. Try again later.",
        headers: [.retryAfter: "5"]
    )

    static let noWrites = APIError(
        .serviceUnavailable, ErrorCode.unavailable, "The database takes no writes. Try again in a moment.",
        headers: [.retryAfter: "1"]
    )

    static let newerSchema = APIError(
        .serviceUnavailable, ErrorCode.newerSchema,
        "A newer version of the program has changed the database: run that version here, too.",
        headers: [.retryAfter: "60"]
    )

    static let bodyTooLarge = APIError(
        .contentTooLarge, ErrorCode.bodyTooLarge,
        "A body has at most \(WireLimits.maximumBodyBytes) bytes: send less at once."
    )

    static let unknownExpectation = APIError(
        .expectationFailed, ErrorCode.notSupported, "The only expectation that is known here is 100-continue.",
        target: "Expect"
    )

    static let noBody = APIError(.badRequest, ErrorCode.invalidBody, "This call needs a JSON body.")

    static func missing(_ field: String, _ message: String) -> APIError {
        APIError(.badRequest, ErrorCode.missing, message, target: field)
    }
}

extension ErrorCode {
    // Codes that no client acts on; people read them.
    static let badRequest = "badRequest"
    static let missing = "missing"
    static let outOfRange = "outOfRange"
    static let methodNotAllowed = "methodNotAllowed"
    static let notSupported = "notSupported"
    static let unavailable = "unavailable"
    static let storageFull = "storageFull"
    static let newerSchema = "newerSchema"
    static let internalFault = "internal"
    static let requestTimeout = "requestTimeout"
    static let originNotAllowed = "originNotAllowed"
    static let headersTooLarge = "headersTooLarge"
    static let invalidIdempotencyKey = "invalidIdempotencyKey"
}
