import BelfryModel
import BelfryWire
import Hummingbird

/// Which part of a list is asked for: `?limit=&cursor=` (ADM-3).
struct PageQuery: Hashable, Sendable {
    let limit: Int
    let cursor: String?

    init(_ request: Request, standard: Int, maximum: Int) throws(APIError) {
        let query = request.uri.queryParameters
        cursor = query["cursor"].flatMap { $0.isEmpty ? nil : String($0) }
        guard let text = query["limit"] else {
            limit = standard
            return
        }
        guard let number: Int = WholeNumber.read(text), (1...maximum).contains(number) else {
            throw APIError(
                .badRequest, ErrorCode.outOfRange, "It is a whole number from 1 to \(maximum).", target: "limit"
            )
        }
        limit = number
    }

    /// The cursor of a list that goes on at a number.
    func number() throws(APIError) -> Int64? {
        guard let cursor else { return nil }
        guard let number: Int64 = WholeNumber.read(cursor) else {
            throw APIError(.badRequest, "invalidCursor", "Use the cursor of an earlier answer.", target: "cursor")
        }
        return number
    }
}
