import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

struct RecipientTagsTests {
    private func tag(_ name: String) -> String {
        String((name + String(repeating: "_", count: RecipientTags.tagLength)).prefix(RecipientTags.tagLength))
    }

    private func reference(_ name: String) -> String {
        tag(name) + ".rest-of-the-reference"
    }

    @Test("ID-4: the tag is the first part of a reference; one without it has none")
    func parsing() {
        #expect(RecipientTags.tag(of: "abcdefghijkl.rest") == "abcdefghijkl")
        #expect(RecipientTags.tag(of: "abcdefghijkl.") == "abcdefghijkl")
        for reference in [
            "", "abcdefghijkl", "abcdefghijk.rest", "abcdefghijklm.rest", "äöüäöüx.rest", "................",
        ] {
            #expect(RecipientTags.tag(of: reference) != "abcdefghijkl", "\(reference)")
        }
        #expect(RecipientTags.tag(of: "reference-anna") == nil)
    }

    @Test("ID-4: pushes are for the present person until somebody else came; one without a tag is for everybody")
    func persons() throws {
        var tags = RecipientTags()
        tags.linked(reference("a0"), owner: 0)
        tags.linked(reference("anna"), owner: 1)
        for name in ["a0", "anna", "never seen"] {
            #expect(!tags.isFormer(tag(name), reference: reference("anna")))
        }
        tags.personChanged(owner: 2)
        tags.linked(reference("a2"), owner: 2)
        tags = try restarted(tags)
        #expect(tags.isFormer(tag("a0"), reference: reference("a2")))
        #expect(tags.isFormer(tag("anna"), reference: reference("a2")))
        #expect(!tags.isFormer(tag("a2"), reference: reference("a2")))
        #expect(!tags.isFormer(nil, reference: reference("a2")))
        #expect(!tags.isFormer(tag("never seen"), reference: nil))
        // The present contact is never a former one, however the device was linked to it.
        #expect(!tags.isFormer(tag("a0"), reference: reference("a0")))
    }

    @Test("ID-4: a person who logged in and out without a network is a former one once the link is made")
    func late() {
        var tags = RecipientTags()
        tags.linked(reference("a0"), owner: 0)
        tags.personChanged(owner: 2)
        tags.linked(reference("anna"), owner: 1)
        #expect(tags.isFormer(tag("anna"), reference: nil))
        tags.linked(reference("bert"), owner: 2)
        #expect(!tags.isFormer(tag("bert"), reference: nil))
    }

    @Test("ID-4: former tags are limited, and the newest are kept")
    func bounded() {
        var tags = RecipientTags()
        for owner in 0..<1_000 {
            tags.linked(reference("p\(owner)"), owner: owner)
            tags.personChanged(owner: owner + 1)
        }
        #expect(tags.former == (744..<1_000).map { tag("p\($0)") })
    }

    @Test("ID-4: the tags of a device that was linked before tags were stored are the present person's")
    func earlierVersion() {
        var tags = RecipientTags(references: [0: reference("a0"), 1: reference("anna"), 2: "reference-old"])
        #expect(!tags.isFormer(tag("anna"), reference: nil))
        tags.personChanged(owner: 3)
        #expect(tags.former == [tag("a0"), tag("anna")])
    }

    @Test(
        "ID-4: in any order of persons, exactly the tags of the others are former",
        arguments: Endurance.seeds(200, brief: 40))
    func property(seed: UInt64) {
        var dice = DeviceDice(seed: seed)
        var tags = RecipientTags()
        var owner = 0
        var person: String?
        var present: Set<String> = [tag("a0")]
        var all = present
        tags.linked(reference("a0"), owner: 0)
        // As many persons and anonymous contacts as fit into the list.
        for step in 1...9 {
            let next = dice.isLikely(0.6) ? ["anna", "bert", "cleo"][Int(dice.next() % 3)] : nil
            guard next != person else { continue }
            owner += 1
            let name = next ?? "a\(step)"
            if person != nil {
                tags.personChanged(owner: owner)
                present = []
            }
            tags.linked(reference(name), owner: owner)
            person = next
            present.insert(tag(name))
            all.insert(tag(name))
            for one in all {
                let isFormer = tags.isFormer(one, reference: reference(name))
                #expect(isFormer == !present.contains(one), "seed \(seed), step \(step), \(one)")
            }
        }
    }
}
