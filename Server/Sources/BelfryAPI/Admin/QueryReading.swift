import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Reads query parameters: texts, words, days.
extension AdminCall {
    /// The parameter's value; nil when it is absent or empty.
    func text(_ name: String) throws(APIError) -> String? {
        guard let text = request.uri.queryParameters[name[...]], !text.isEmpty else { return nil }
        guard !text.utf8.contains(0) else {
            throw APIError(.badRequest, ErrorCode.badRequest, "It contains the null character.", target: name)
        }
        return String(text)
    }

    /// - Parameter standard: the value when the parameter is absent.
    func days(_ standard: Int, maximum: Int) throws(APIError) -> Int {
        guard let text = try text("days") else { return standard }
        guard let number: Int = WholeNumber.read(text), (1...maximum).contains(number) else {
            throw APIError(
                .badRequest, ErrorCode.outOfRange, "It is a whole number from 1 to \(maximum).", target: "days"
            )
        }
        return number
    }

    /// - Parameter standard: the value when the parameter is absent.
    func day(_ name: String, _ standard: CalendarDay) throws(APIError) -> CalendarDay {
        guard let text = try text(name) else { return standard }
        guard let day = CalendarDay(text) else {
            throw APIError(.badRequest, ErrorCode.badRequest, "It is a day such as 2026-12-01.", target: name)
        }
        return day
    }

    /// One of a type's words; nil when the parameter is absent.
    func word<Word: CaseIterable & RawRepresentable<String>>(_ name: String, of type: Word.Type) throws(APIError)
        -> Word?
    {
        guard let text = try text(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw APIError(.badRequest, ErrorCode.outOfRange, "It is one of \(words).", target: name)
        }
        return word
    }
}

extension OperationParameter {
    static func days(maximum: Int, _ standard: Int) -> OperationParameter {
        OperationParameter(
            name: "days", place: .query, schema: .integer(1...maximum),
            description: "How many days; default \(standard)."
        )
    }
}
