package dev.stowage.llm.grammar;

/** One way to have read a text so far: a state, and what is to be read after its rule. */
record Configuration(int state, StackNode below) implements Comparable<Configuration> {

    @Override
    public int compareTo(Configuration other) {
        int byState = Integer.compare(state, other.state);
        return byState != 0 ? byState : Long.compare(below.id(), other.below.id());
    }
}
