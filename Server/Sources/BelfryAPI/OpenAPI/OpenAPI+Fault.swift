import BelfryWire

extension OpenAPI {
    /// An answer that is not a success; many operations share one, so each has a name.
    enum Fault: String, Hashable, Sendable, CaseIterable {
        case badRequest
        case tokenRefused
        case keyRefused
        case forbidden
        case notFound
        case tooSlow
        case conflict
        case erased
        case servedAlready
        case tooLarge
        case unsupportedType
        case unprocessable
        case tooMany
        case internalFault
        case unavailable

        var status: Int {
            switch self {
            case .badRequest: 400
            case .tokenRefused, .keyRefused: 401
            case .forbidden: 403
            case .notFound: 404
            case .tooSlow: 408
            case .conflict: 409
            case .erased, .servedAlready: 410
            case .tooLarge: 413
            case .unsupportedType: 415
            case .unprocessable: 422
            case .tooMany: 429
            case .internalFault: 500
            case .unavailable: 503
            }
        }

        var tree: JSONTree {
            .members([
                "description": .string(description),
                "headers": Header.references(headers),
                "content": .object(["application/json": .object(["schema": Schema.reference("Error").tree])]),
            ])
        }

        private var headers: [String] {
            switch self {
            case .keyRefused: [Header.authenticate]
            case .tooMany, .unavailable: [Header.retryAfter]
            default: []
            }
        }

        private var description: String {
            switch self {
            case .badRequest:
                "The request has the wrong shape: `target` names the field, header or parameter. On the device API "
                    + "also an app that does not exist (`unknownApp`)."
            case .tokenRefused:
                "The contact token is missing (`contactTokenMissing`), not valid for this device and app "
                    + "(`contactTokenInvalid`) or has expired (`contactTokenExpired`): refresh it, or link anew."
            case .keyRefused: "The admin key is missing or not known."
            case .forbidden: "Not for this caller or app."
            case .notFound: "There is no such thing: `target` says what was looked for."
            case .tooSlow: "The request did not arrive whole in time."
            case .conflict: "It does not fit what is there already; nothing was changed."
            case .erased:
                "This installation was erased (`erased`): the SDK wipes itself and rests until the app starts it anew."
            case .servedAlready:
                "The rich content was served to this device for another key (`richContentAlreadyServed`), or this "
                    + "installation was erased (`erased`)."
            case .tooLarge:
                "A body has at most \(WireLimits.maximumBodyBytes) bytes, inflated too, and a batch at most "
                    + "\(WireLimits.maximumEventsPerRequest) events."
            case .unsupportedType: "A body is JSON, as it is or as gzip or deflate."
            case .unprocessable: "Well formed, but it means nothing here: `target` and `details` name the fields."
            case .tooMany: "Too many requests for now, or too much in them: `target` names the limit."
            case .internalFault: "A fault of the server; its log says which."
            case .unavailable: "The server cannot do its work just now."
            }
        }
    }
}
