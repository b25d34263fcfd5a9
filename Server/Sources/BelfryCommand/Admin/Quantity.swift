/// How many there are, in words: "1 device", "2 devices".
enum Quantity {
    static func text(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
