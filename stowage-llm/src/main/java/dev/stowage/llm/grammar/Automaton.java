package dev.stowage.llm.grammar;

/**
 * A grammar as an automaton with a stack: states with edges for ranges of bytes, and for rules that are to be read before the
 * state after them. Every state can reach the end of its rule. Immutable plain arrays.
 *
 * @param firstEdge by state its first edge for bytes; those of a state end where those of the next begin
 * @param low by edge its first byte
 * @param high by edge its last byte
 * @param target by edge the state it leads to
 * @param firstCall by state its first call of a rule
 * @param called by call the rule
 * @param after by call the state after it
 * @param ending by state whether its rule may end there
 * @param begin by rule its first state; rule 0 is what whole texts conform to
 * @param nullable by rule whether it may be the empty text
 * @param order by rule a number that is larger than those of all rules that may begin with it
 * @param classOf by byte its class: bytes of one class are in the same edges everywhere
 * @param member by class one of its bytes
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares them
record Automaton(
        int[] firstEdge,
        int[] low,
        int[] high,
        int[] target,
        int[] firstCall,
        int[] called,
        int[] after,
        boolean[] ending,
        int[] begin,
        boolean[] nullable,
        int[] order,
        byte[] classOf,
        int[] member) {

    int states() {
        return ending.length;
    }

    int edges() {
        return low.length + called.length;
    }

    int classes() {
        return member.length;
    }

    int classOf(byte b) {
        return Byte.toUnsignedInt(classOf[Byte.toUnsignedInt(b)]);
    }

    /** Whether a rule ends in that state and cannot go on: nothing is left to be remembered of it. */
    boolean isOver(int state) {
        return ending[state] && firstEdge[state] == firstEdge[state + 1] && firstCall[state] == firstCall[state + 1];
    }
}
