import BelfryModel
import BelfryServerModel
import BelfryWire
import Hummingbird

/// The party identifier by which contacts are searched: `?partyNumber=&partyType=&partyName=` (ID-9).
enum PartyQuery {
    static let parameters = [
        OperationParameter(
            name: "partyNumber", place: .query, schema: .string(1...PartyIdentifier.maximumLength),
            description: "Only contacts whose party identifier has this number. Not with `orphaned`."
        ),
        OperationParameter(
            name: "partyType", place: .query, schema: .string(1...PartyIdentifier.maximumLength),
            description: "Also with this type; needs `partyNumber`."
        ),
        OperationParameter(
            name: "partyName", place: .query, schema: .string(1...PartyIdentifier.maximumLength),
            description: "Also with this name; needs `partyNumber`."
        ),
    ]

    /// The query parameters for a call that asks about the one contact with this party identifier.
    static let explained = [
        OperationParameter(
            name: "partyNumber", place: .query, schema: .string(1...PartyIdentifier.maximumLength),
            description: "The number of the contact's party identifier; or use `contact`. It must be one contact's."
        ),
        parameters[1], parameters[2],
    ]

    /// Nil when the query has no party identifier.
    static func search(_ request: Request, isOrphaned: Bool) throws(APIError) -> PartySearch? {
        let number = try part("partyNumber", request)
        let (type, name) = (try part("partyType", request), try part("partyName", request))
        guard let number else {
            guard type == nil, name == nil else {
                throw APIError(
                    .badRequest, ErrorCode.badRequest, "Name the number of the party identifier, too.",
                    target: "partyNumber"
                )
            }
            return nil
        }
        guard !isOrphaned else {
            throw APIError(
                .badRequest, ErrorCode.badRequest, "Search for orphans or for a party identifier, not for both.",
                target: "orphaned"
            )
        }
        return PartySearch(number: number, type: type, name: name)
    }

    private static func part(_ name: Substring, _ request: Request) throws(APIError) -> String? {
        guard let value = request.uri.queryParameters[name] else { return nil }
        do {
            return try PartyIdentifier.part(String(value), "A part")
        } catch {
            throw APIError(.badRequest, error.code, error.message, target: String(name))
        }
    }
}
