/// A term and its value, for a list of pairs on a page.
struct Fact: Sendable {
    let term: String
    let words: String

    init(_ term: String, _ words: String) {
        self.term = term
        self.words = words
    }
}
