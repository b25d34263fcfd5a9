/// What is known of something: a term and what it is, as a list of pairs on a page has them.
struct Fact: Sendable {
    let term: String
    let words: String

    init(_ term: String, _ words: String) {
        self.term = term
        self.words = words
    }
}
