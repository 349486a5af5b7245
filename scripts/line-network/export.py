import numpy as np, openvino as ov, openvino.opset13 as op
z=np.load('line_network.npz'); ps=[(z[f'conv{i}.w'],z[f'conv{i}.b']) for i in range(8)]
S=[((1,1),(1,1)),((2,2),None),((1,1),(1,1)),((2,1),None),((1,1),(1,1)),((1,1),(0,2)),((1,1),(0,1)),((1,1),(0,0))]
x=op.parameter([1,1,24,-1],np.float32,name='strip');y=x
for i,((w,b),(st,pd)) in enumerate(zip(ps,S)):
    w=np.ascontiguousarray(np.transpose(w,(3,2,0,1)))
    if pd is None: pb=[0,0 if st[1]==2 else 1];pe=[1,1]
    else: pb=list(pd);pe=list(pd)
    y=op.convolution(y,op.constant(w),list(st),pb,pe,[1,1])
    y=op.add(y,op.constant(b.reshape(1,-1,1,1)))
    if i<7: y=op.prelu(y,op.constant(np.array([.1],np.float32)))
m=ov.Model([y],[x],'mrz-line')
ov.save_model(m,'line-network.xml',compress_to_fp16=True)
