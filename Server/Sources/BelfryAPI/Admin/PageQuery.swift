import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Which part of a list is asked for: `?limit=&cursor=` (ADM-3).
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

    /// The cursor of a list that goes on at a number.
    func number() throws(APIError) -> Int64? {
        guard let cursor else { return nil }
        guard let number: Int64 = WholeNumber.read(cursor) else {
            throw APIError(.badRequest, "invalidCursor", "Use the cursor of an earlier response.", target: "cursor")
        }
        return number
    }

    /// What is shown of entries of which one more than the limit was asked for, and the cursor of the next page.
    ///
    /// - Parameter number: where the list goes on behind an entry.
    func cut<Entry>(_ found: [Entry], at number: (Entry) -> Int64) -> (shown: [Entry], cursor: String?) {
        let (shown, next) = found.cut(to: limit, at: number)
        return (shown, next.map { String($0) })
    }
}

/// How much of a list comes at once.
package struct PageLimits: Hashable, Sendable {
    package let standard: Int
    package let maximum: Int

    /// What a request may say of it.
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
