import BelfryServices
import BelfryWire
import Hummingbird

/// An error response: its status and the content of ``ErrorBody`` (WIRE-23).
struct APIError: Error, Hashable, Sendable {
    var status: HTTPResponse.Status
    var code: String
    var message: String
    /// The field, header or parameter with the error.
    var target: String?
    /// Further errors of the same request (ADM-3).
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
    /// The cause is internal; it is in the log.
    static let internalError = APIError(
        .internalServerError, ErrorCode.internalError, "Internal server error. The server's log has the details."
    )

    static let databaseBusy = APIError(
        .serviceUnavailable, ErrorCode.unavailable, "The database does not respond. Try again in a moment.",
        headers: [.retryAfter: "1"]
    )

    /// The disk is full, or so nearly that the store must not grow (SEC-9).
    static let storageFull = APIError(
        .serviceUnavailable, ErrorCode.storageFull,
        "The server's disk is full or nearly full. Nothing was stored. Try again later.",
        headers: [.retryAfter: "5"]
    )

    static let noWrites = APIError(
        .serviceUnavailable, ErrorCode.unavailable, "The database accepts no writes at the moment. Try again.",
        headers: [.retryAfter: "1"]
    )

    static let newerSchema = APIError(
        .serviceUnavailable, ErrorCode.newerSchema,
        "A newer version of Belfry has changed the database. Run that version on this server, too.",
        headers: [.retryAfter: "60"]
    )

    static let bodyTooLarge = APIError(
        .contentTooLarge, ErrorCode.bodyTooLarge,
        "A body has at most \(WireLimits.maximumBodyBytes) bytes. Send less in one request."
    )

    static let unknownExpectation = APIError(
        .expectationFailed, ErrorCode.notSupported, "The only supported expectation is 100-continue.",
        target: "Expect"
    )

    static let noBody = APIError(.badRequest, ErrorCode.invalidBody, "This request needs a JSON body.")

    static func missing(_ field: String, _ message: String) -> APIError {
        APIError(.badRequest, ErrorCode.missing, message, target: field)
    }
}

extension ErrorCode {
    // Codes for people; clients do not act on them.
    static let badRequest = "badRequest"
    static let missing = "missing"
    static let outOfRange = "outOfRange"
    static let moreErrors = "moreFaults"
    static let tooComplex = "tooComplex"
    static let methodNotAllowed = "methodNotAllowed"
    static let notSupported = "notSupported"
    static let unavailable = "unavailable"
    static let storageFull = "storageFull"
    static let newerSchema = "newerSchema"
    static let internalError = "internal"
    static let requestTimeout = "requestTimeout"
    static let originNotAllowed = "originNotAllowed"
    static let headersTooLarge = "headersTooLarge"
    static let invalidIdempotencyKey = "invalidIdempotencyKey"
    static let quarantinedAgain = "setAsideAgain"
}

extension APIError {
    /// A key has 1 to 255 characters of visible ASCII.
    static func rejectUnfit(idempotencyKey key: String) throws(APIError) {
        guard (1...IdempotencyStore.maximumKeyLength).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw APIError(
                .badRequest, ErrorCode.invalidIdempotencyKey,
                "An idempotency key has 1 to \(IdempotencyStore.maximumKeyLength) visible ASCII characters.",
                target: HeaderNames.idempotencyKey
            )
        }
    }
}
