import BelfryModel
import HTTPTypes

/// The headers of an ordinary upload, picked in one pass. A request with any that asks for more than the express lane
/// does is none.
struct ExpressFields {
    private(set) var clientID = ""
    private(set) var contactToken = ""
    private(set) var order: String?
    private(set) var time: String?

    /// - Parameter hasBody: whether the request is to have one, in JSON.
    init?(_ fields: HTTPFields, hasBody: Bool) {
        var isJSON = false
        for field in fields {
            switch field.name.canonicalName {
            case "x-client-id":
                // The router reads two headers of one name as one text, an empty one among them too.
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
            case "content-type":
                guard field.value == "application/json", !isJSON else { return nil }
                isJSON = true
            case "connection":
                guard field.value == "keep-alive" else { return nil }
            case "content-encoding", "origin", "expect", "upgrade":
                return nil
            case "accept-encoding":
                // To compress an answer takes longer than all the rest, and an event loop has others waiting.
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
