import BelfryStore

extension SQLText {
    /// SQL that a test puts together: names of tables and schemas that it has asked for or made. The program's own is
    /// made of literals (SEC-7).
    package init(ofTest text: String) {
        self.init(stringLiteral: text)
    }
}
