import BelfryWire

/// An error response. Many operations share one, so each has a name.
enum OperationErrorResponse: String, Hashable, Sendable, CaseIterable {
    case badRequest
    case tokenRejected = "tokenRefused"
    case keyRejected = "keyRefused"
    case forbidden
    case notFound
    case tooSlow
    case conflict
    case erased
    case servedAlready
    case ledgerRemoved
    case tooLarge
    case unsupportedType
    case unknownExpectation
    case unprocessable
    case tooMany
    case headersTooLarge
    case internalError = "internalFault"
    case unavailable

    var status: Int {
        switch self {
        case .badRequest: 400
        case .tokenRejected, .keyRejected: 401
        case .forbidden: 403
        case .notFound: 404
        case .tooSlow: 408
        case .conflict: 409
        case .erased, .servedAlready, .ledgerRemoved: 410
        case .tooLarge: 413
        case .unsupportedType: 415
        case .unknownExpectation: 417
        case .unprocessable: 422
        case .tooMany: 429
        case .headersTooLarge: 431
        case .internalError: 500
        case .unavailable: 503
        }
    }

    var tree: JSONTree {
        .members([
            "description": .string(description),
            "headers": ResponseHeader.references(headers),
            "content": .object(["application/json": .object(["schema": JSONSchema.of(ErrorBody.self).tree])]),
        ])
    }

    private var headers: [String] {
        switch self {
        case .keyRejected: [ResponseHeader.authenticate]
        case .tooMany, .unavailable: [ResponseHeader.retryAfter]
        default: []
        }
    }

    private var description: String {
        switch self {
        case .badRequest:
            "The request is malformed: `target` names the field, header or parameter. On the device API also for "
                + "an app that does not exist (`unknownApp`)."
        case .tokenRejected:
            "The contact token is missing (`contactTokenMissing`), not valid for this device and app "
                + "(`contactTokenInvalid`) or expired (`contactTokenExpired`). Refresh it, or link again."
        case .keyRejected: "The admin key is missing or unknown."
        case .forbidden: "Not allowed for this caller or app."
        case .notFound: "Not found; `target` names the kind of resource."
        case .tooSlow: "The request was not complete in time."
        case .conflict: "The request conflicts with the current state. Nothing was changed."
        case .erased:
            "This installation was erased (`erased`). The SDK deletes its data and stops until the app starts it "
                + "again. A client of Mobile Engage v3 gets a new state with this response, and starts over with it."
        case .servedAlready:
            "This device has confirmed that it has stored the rich content (`richContentAlreadyServed`), or "
                + "this installation was erased (`erased`)."
        case .ledgerRemoved:
            "The campaign's delivery records were removed (`ledgerRemoved`) at the end of the app's "
                + "`deliveryRetentionDays`. Its totals stay."
        case .tooLarge:
            "A body has at most \(WireLimits.maximumBodyBytes) bytes, also after decompression, and a batch has at "
                + "most \(WireLimits.maximumEventsPerRequest) events."
        case .unsupportedType: "A body must be JSON: uncompressed, gzip or deflate."
        case .unknownExpectation: "The only supported expectation is `100-continue`."
        case .unprocessable: "Well formed, but invalid; `target` and `details` name the fields."
        case .tooMany: "Too many requests, or too much data; `target` names the limit."
        case .headersTooLarge: "The URL or the headers are too long, or there are too many headers."
        case .internalError: "Internal server error. The server's log has the details."
        case .unavailable:
            "The server cannot serve at the moment (`unavailable`), or its disk is nearly full and it rejects "
                + "requests that make the store grow (`storageFull`). `Retry-After` says when to try again."
        }
    }
}
