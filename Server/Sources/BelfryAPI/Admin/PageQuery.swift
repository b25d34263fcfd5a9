import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The requested part of a list: `?limit=&cursor=` (ADM-3).
struct PageQuery: Hashable, Sendable {
    let limit: Int
    let cursor: String?

    init(_ request: Request, _ limits: PageLimits) throws(APIError) {
        let query = request.uri.queryParameters
        cursor = query["cursor"].flatMap { $0.isEmpty ? nil : String($0) }
        guard let text = query["limit"] else {
            limit = limits.standard
            return
        }
        guard let number: Int = WholeNumber.read(text), (1...limits.maximum).contains(number) else {
            throw APIError(
                .badRequest, ErrorCode.outOfRange, "It is a whole number from 1 to \(limits.maximum).", target: "limit"
            )
        }
        limit = number
    }

    /// The cursor, for a list that continues at a number.
    func number() throws(APIError) -> Int64? {
        guard let cursor else { return nil }
        guard let number: Int64 = WholeNumber.read(cursor) else {
            throw APIError(.badRequest, "invalidCursor", "Use the cursor of an earlier response.", target: "cursor")
        }
        return number
    }

    /// The entries to show, and the cursor of the next page. `found` was read with one entry more than the limit.
    ///
    /// - Parameter number: the number of an entry, behind which the list continues.
    func cut<Entry>(_ found: [Entry], at number: (Entry) -> Int64) -> (shown: [Entry], cursor: String?) {
        let (shown, next) = found.cut(to: limit, at: number)
        return (shown, next.map { String($0) })
    }
}

/// The number of entries that a list returns at a time.
package struct PageLimits: Hashable, Sendable {
    package let standard: Int
    package let maximum: Int

    /// The query parameters `limit` and `cursor`.
    var parameters: [OperationParameter] {
        [
            OperationParameter(
                name: "limit", place: .query, schema: .integer(1...maximum),
                description: "The maximum number of entries; default \(standard)."
            ),
            OperationParameter(
                name: "cursor", place: .query, schema: .string(),
                description: "The cursor of the previous page. Without one, the list starts from the beginning."
            ),
        ]
    }
}
