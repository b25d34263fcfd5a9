import BelfryModel
import HTTPTypes

/// The headers of an ordinary request, read in one pass. Nil when a header asks for something that the express lane
/// does not do.
struct ExpressFields {
    private(set) var clientID = ""
    private(set) var contactToken = ""
    private(set) var order: String?
    private(set) var time: String?
    private(set) var v3Version: String?
    private(set) var v3Mode: String?

    /// - Parameter hasBody: whether the operation needs a JSON body.
    init?(_ fields: HTTPFields, hasBody: Bool) {
        var isJSON = false
        for field in fields {
            switch field.name.canonicalName {
            case "x-client-id":
                // The router joins headers of the same name, also empty ones, so they are left to it.
                guard clientID.isEmpty, !field.value.isEmpty else { return nil }
                clientID = field.value
            case "x-contact-token":
                guard contactToken.isEmpty, !field.value.isEmpty else { return nil }
                contactToken = field.value
            case "x-request-order":
                guard order == nil else { return nil }
                order = field.value
            case "x-client-time":
                guard time == nil else { return nil }
                time = field.value
            case "x-emarsys-sdk-version":
                guard v3Version == nil else { return nil }
                v3Version = field.value
            case "x-emarsys-sdk-mode":
                guard v3Mode == nil else { return nil }
                v3Mode = field.value
            case "content-type":
                guard field.value == "application/json", !isJSON else { return nil }
                isJSON = true
            case "connection":
                guard field.value == "keep-alive" else { return nil }
            case "content-encoding", "origin", "expect", "upgrade":
                return nil
            case "accept-encoding":
                // Compressing a response takes longer than all the rest, and the event loop has other connections.
                guard hasBody else { return nil }
            case "content-length":
                guard let length = WholeNumber.read(field.value, as: Int.self),
                    length <= (hasBody ? ExpressLane.maximumBodyBytes : 0)
                else {
                    return nil
                }
            case "transfer-encoding":
                guard hasBody else { return nil }
            default:
                break
            }
        }
        guard isJSON == hasBody, !clientID.isEmpty, !contactToken.isEmpty else { return nil }
    }
}
